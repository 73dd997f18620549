'use strict'

// Keeps what is watched as the group is: who joins is watched too, and who has ended no more. One that is stopped or stuck stays.

const { setTimeout: sleep } = require('node:timers/promises')
const { createClient } = require('../reach/client')
const { createWatched, watch } = require('./watch')

/** @import { Member } from '../../shared/group/members' */
/** @import { Client, Watched } from './watch' */

/** @typedef {{ watched: Watched, client: Client, end: AbortController, id: string }} WatchedMember */

const LOOK_MS = 1000

/**
 * @param {readonly Member[]} members
 * @param {AbortSignal} signal
 * @returns {WatchedMember[]}
 */
function watchMembers (members, signal) {
  return members.map(({ id, pid, socketPath }) => {
    const end = new AbortController()
    return { id, end, watched: createWatched(String(pid)), client: createClient({ socketPath, base: '' }, AbortSignal.any([signal, end.signal])) }
  })
}

/**
 * @param {WatchedMember[]} watching  changed in place
 * @param {() => Promise<Member[]>} list
 * @param {AbortSignal} signal
 */
async function followGroup (watching, list, signal) {
  for (const one of watching) watchOne(one, signal)
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal })
    const members = await list()
    if (members.length > 0) change(watching, members, signal) // of a group that has ended the last is shown as it was
  }
}

/**
 * @param {WatchedMember[]} watching
 * @param {readonly Member[]} members
 * @param {AbortSignal} signal
 */
function change (watching, members, signal) {
  const stay = watching.filter(({ id }) => members.some(member => member.id === id))
  const joined = watchMembers(members.filter(({ id }) => !watching.some(one => one.id === id)), signal)
  for (const { end } of watching.filter(one => !stay.includes(one))) end.abort()
  for (const one of joined) watchOne(one, signal)
  watching.splice(0, watching.length, ...stay, ...joined)
}

/**
 * What goes wrong it notes itself.
 * @param {WatchedMember} member
 * @param {AbortSignal} signal
 */
function watchOne ({ watched, client, end }, signal) {
  watch(watched, client, AbortSignal.any([signal, end.signal])).catch(() => {})
}

module.exports = { followGroup, watchMembers }
