'use strict'

// Formats wall-clock times for people, in local time, and ages. Data has milliseconds since the epoch, or ISO. Pure, except for the time zone.

/** @param {number} epochMs @returns {string} as in 2026-11-21 14:41:39 */
function localTime (epochMs) {
  const moment = new Date(epochMs)
  const date = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()]
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()]
  return `${date.map(inTwo).join('-')} ${time.map(inTwo).join(':')}`
}

/**
 * For a table: without the date where it is today's, without the seconds where it is not.
 * @param {number} epochMs
 * @param {number} nowMs
 * @returns {string} as in 14:41:39, or 11-21 14:41
 */
function shortLocalTime (epochMs, nowMs) {
  const [date, time] = localTime(epochMs).split(' ')
  return localTime(nowMs).startsWith(date) ? time : `${date.slice(5)} ${time.slice(0, 5)}`
}

/**
 * For what is read elsewhere, too: a file, a message.
 * @param {number} epochMs
 * @returns {string} as in 2026-11-21 14:41:39 +01:00
 */
function localTimeWithZone (epochMs) {
  const minutes = -new Date(epochMs).getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${localTime(epochMs)} ${minutes < 0 ? '-' : '+'}${inTwo(hours)}:${inTwo(rest)}`
}

/** @param {number} part */
function inTwo (part) {
  return String(part).padStart(2, '0')
}

/**
 * How old something is by the wall clock. A clock is set back, and a date in a file may be of any year: what is dated in the future is as old
 * as it is ahead, so that it is neither believed until then nor thrown away at once.
 * @param {number} atMs  milliseconds since the epoch
 * @param {number} nowMs
 */
function ageMs (atMs, nowMs) {
  return Math.abs(nowMs - atMs)
}

module.exports = { ageMs, localTime, localTimeWithZone, shortLocalTime }
