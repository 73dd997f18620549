'use strict'

// What the rules of an application did in the last day, in its folder of the store: all its processes share it, and it outlasts them, so that a crash
// loop does not act a thousand times.

const path = require('node:path')
const { RULES_FOLDER } = require('../../shared/store/application-folder')
const { toLimitState } = require('../../shared/rules/limits')
const { updateState } = require('../../shared/system/numbered-states')

/** @import { Admission, LimitState } from '../../shared/rules/limits' */

/**
 * All of it throws where the folder cannot be written.
 * @param {() => string} openFolder  of the application, which is there then
 */
function createLimitFile (openFolder) {
  return {
    /**
     * @param {(state: LimitState) => Admission} change
     * @returns {Admission}
     */
    update: change => updateState(path.join(openFolder(), RULES_FOLDER), kept => change(toLimitState(kept)))
  }
}

module.exports = { createLimitFile }
