'use strict'

// Creates egress items, with the labels of their process.

const { randomUUID } = require('node:crypto')
const os = require('node:os')
const path = require('node:path')
const { toEpochMs } = require('../../base/monotonic')
const { createFileName } = require('../../shared/store/file-name')
const { readRegularText } = require('../../base/regular-file')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { StoreLocation } from '../captures' */
/** @import { EgressItem } from './backends' */

/** @typedef {{ kind: EgressItem['kind'], name: string, path: string, from: number, to: number } & Pick<EgressItem, 'profile' | 'heapProfile' | 'body'>} SentArtifact */

/** @param {Pick<StoreLocation, 'appName' | 'appRoot'>} application */
function createItems ({ appName, appRoot }) {
  const labels = { service: appName, pid: String(process.pid), host: os.hostname(), version: versionOf(appRoot) }
  let sequence = 0

  /**
   * @param {'cpu' | 'stall'} kind
   * @param {string} extension
   * @param {number} at
   */
  const nameOf = (kind, extension, at) => createFileName({ kind, extension, at, appName, pid: process.pid, sequence: ++sequence })

  return {
    /**
     * @param {CpuProfile} profile
     * @param {Record<string, string>} [more]  labels
     * @param {EgressItem['trace']} [trace]
     * @returns {EgressItem}
     */
    profile (profile, more = {}, trace = null) {
      const fromMs = Math.round(toEpochMs(profile.startTime))
      const toMs = Math.round(toEpochMs(profile.endTime))
      return { id: randomUUID(), kind: 'cpu', fromMs, toMs, profile, fileName: nameOf('cpu', 'pb.gz', fromMs), labels: { ...labels, ...more }, trace, appRoot }
    },

    /**
     * @param {{ at: number, durationMs: number }} report
     * @param {string} [fileName]  of an earlier report of the same stall, which this one replaces
     * @returns {EgressItem}
     */
    stall (report, fileName = nameOf('stall', 'json', report.at)) {
      const { at, durationMs } = report
      const whole = { ...report, process: labels }
      return { id: randomUUID(), kind: 'stall', fromMs: at, toMs: at + durationMs, report: whole, fileName, labels, appRoot }
    },

    /**
     * @param {SentArtifact} artifact
     * @returns {EgressItem}
     */
    artifact ({ kind, name, path: file, from, to, profile, heapProfile, body }) {
      const time = { fromMs: Math.round(from), toMs: Math.round(to) }
      return { id: randomUUID(), kind, ...time, file, profile, heapProfile, body, fileName: name, labels, appRoot }
    }
  }
}

/**
 * @param {string} appRoot
 * @returns {string} '' if unknown
 */
function versionOf (appRoot) {
  try {
    const { version } = JSON.parse(readRegularText(path.join(appRoot, 'package.json')))
    return typeof version === 'string' ? version : ''
  } catch {
    return ''
  }
}

module.exports = { createItems }
