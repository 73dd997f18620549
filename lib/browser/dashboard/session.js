/* global AbortController, TextDecoderStream, document, fetch, history, location, loopscope, sessionStorage */
'use strict'

// The token of this tab, and everything that is asked of the server with it, the stream of what happens included. The token comes in the fragment of
// the address, which browsers send to no server, and leaves the address bar at once.

loopscope.session = (() => {
  const { byId, moment } = loopscope.display
  const KEY = 'loopscope.token'
  const MIN_RETRY_MS = 1000
  const MAX_RETRY_MS = 15_000
  const SILENT_MS = 4000 // an event comes each second
  const base = location.pathname.replace(/\/$/, '')
  let refused = () => {}
  let door = null
  let heardAt = 0

  class Problem extends Error {
    constructor (status, { detail, remedy }) {
      super([detail, remedy].filter(Boolean).join(' '))
      this.status = status
    }
  }

  /** @param {() => void} onRefused  the token is missing or wrong */
  function open (onRefused) {
    refused = onRefused
    const [, token] = /^#token=(.+)$/.exec(location.hash) ?? []
    if (token === undefined) return
    sessionStorage.setItem(KEY, decodeURIComponent(token))
    history.replaceState(null, '', location.pathname + location.search)
  }

  function useToken (token) {
    sessionStorage.setItem(KEY, token)
  }

  /** @returns {Promise<Response>} */
  async function request (path, options = {}) {
    const token = sessionStorage.getItem(KEY)
    const headers = { ...(token !== null && { Authorization: `Bearer ${token}` }), ...options.headers }
    const response = await fetch(base + path, { ...options, headers, cache: 'no-store', credentials: 'omit' })
    if (response.ok) return response
    if (response.status === 401 || response.status === 429) refused(await problemOf(response.clone()))
    throw await problemOf(response)
  }

  async function problemOf (response) {
    const facts = await response.json().catch(() => ({ detail: `The server answered ${response.status}.` }))
    return new Problem(response.status, facts)
  }

  async function json (path, options) {
    const response = await request(path, options)
    return response.status === 204 ? null : response.json()
  }

  /** A link cannot send a token: the file is fetched, and saved from memory. */
  async function download (path, name) {
    const response = await request(path)
    const [, offered] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
    const url = URL.createObjectURL(await response.blob())
    const link = document.createElement('a')
    Object.assign(link, { href: url, download: offered ?? name })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  }

  /**
   * Listens to what happens, goes on when the connection breaks, and shows since when nobody answers.
   * @param {string} reachedBy  the door
   * @param {(name: string, data: any) => void} onEvent
   */
  async function follow (reachedBy, onEvent) {
    door = reachedBy
    hear()
    setInterval(showConnection, 1000)
    for (let waitMs = MIN_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      try {
        await listen('/live', (name, data) => {
          waitMs = MIN_RETRY_MS
          hear()
          onEvent(name, data)
        })
      } catch (error) {
        if (error.status === 401) return
      }
      await new Promise(resolve => setTimeout(resolve, waitMs))
      await poll(onEvent)
    }
  }

  function hear () {
    heardAt = Date.now()
    showConnection()
  }

  function showConnection () {
    const isSilent = Date.now() - heardAt > SILENT_MS
    const notice = byId('connection')
    document.querySelector('main').classList.toggle('stale', isSilent)
    const text = isSilent ? silentText() : ''
    if (notice.textContent !== text) notice.textContent = text
    notice.hidden = !isSilent
  }

  function silentText () {
    const since = `No answer since ${moment(heardAt)}; trying again. What is shown is of then.`
    return door === 'mount'
      ? `${since} At this address the application itself answers, which it cannot while its event loop is blocked: npx loopscope why <pid> can be asked then, and the page of a listener of its own (option admin.listen).`
      : since
  }

  /** While no stream can be had, a look now and then. */
  async function poll (onEvent) {
    try {
      const answer = await json('/loop')
      hear()
      onEvent('loop', fromLoop(answer))
    } catch {} // said already
  }

  /** The answer of /loop in the shape of the events. */
  function fromLoop ({ series, delay, at: answeredAt, ...rest }) {
    const { at = Date.now(), maxDelayMs = 0 } = series.at(-1) ?? {}
    return { ...rest, at, maxDelayMs, answeredAt, utilization: delay?.utilization ?? null }
  }

  /**
   * Server-sent events with a token, which EventSource cannot send. Resolves when the stream ends.
   * @param {(name: string, data: any) => void} onEvent
   * @param {AbortController} controller
   */
  async function listen (path, onEvent, controller = new AbortController()) {
    const response = await request(path, { signal: controller.signal })
    let rest = ''
    for await (const text of iterate(response.body.pipeThrough(new TextDecoderStream()))) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop()
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]))
        if (fields.event && fields.data) onEvent(fields.event, JSON.parse(fields.data))
      }
    }
  }

  async function * iterate (stream) {
    const reader = stream.getReader()
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) yield value
  }

  return { open, useToken, json, download, follow, fromLoop }
})()
