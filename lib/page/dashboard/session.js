/* global AbortController, TextDecoderStream, document, fetch, location, loopscope, sessionStorage */
'use strict'

// The session of this tab: its token, all requests to the server, and the event stream. The token is in the fragment of the URL, which browsers
// do not send to any server, and is removed from the address bar at once.

loopscope.session = (() => {
  const { byId, dateTime } = loopscope.display
  const { links } = loopscope
  const KEY = 'loopscope.token'
  const MIN_RETRY_MS = 1000
  const MAX_RETRY_MS = 15_000
  const SILENT_MS = 4000 // an event arrives every second
  const base = location.pathname.replace(/\/$/, '')
  let onRefused = () => {}
  let endpoint = null
  let lastEventAt = 0

  class ServerError extends Error {
    constructor (status, { detail, remedy }) {
      super([detail, remedy].filter(Boolean).join(' '))
      this.status = status
    }
  }

  /** @param {() => void} listener  called when the token is missing or wrong */
  function open (listener) {
    onRefused = listener
    const { token, ...target } = links.read()
    if (token === undefined) return
    useToken(token)
    links.write(target)
  }

  function useToken (token) {
    sessionStorage.setItem(KEY, token)
  }

  function hasToken () {
    return sessionStorage.getItem(KEY) !== null
  }

  /** @returns {Promise<Response>} */
  async function request (path, options = {}) {
    const token = sessionStorage.getItem(KEY)
    const headers = { ...(token !== null && { Authorization: `Bearer ${token}` }), ...options.headers }
    const response = await fetch(base + path, { ...options, headers, cache: 'no-store', credentials: 'omit' })
    if (response.ok) return response
    if (response.status === 401 || response.status === 429) onRefused(await errorOf(response.clone()))
    throw await errorOf(response)
  }

  async function errorOf (response) {
    const facts = await response.json().catch(() => ({ detail: `The server responded with status ${response.status}.` }))
    return new ServerError(response.status, facts)
  }

  async function json (path, options) {
    const response = await request(path, options)
    return response.status === 204 ? null : response.json()
  }

  /** Fetches the file and saves it from memory, because a link cannot send a token. */
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
   * Follows the event stream, reconnects when it breaks, and shows since when the server does not respond.
   * @param {string} servedBy  the endpoint: 'mount' is the application's own
   * @param {(name: string, data: any) => void} onEvent
   */
  async function follow (servedBy, onEvent) {
    endpoint = servedBy
    noteEvent()
    setInterval(showConnection, 1000)
    for (let waitMs = MIN_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      try {
        await listen('/live', (name, data) => {
          waitMs = MIN_RETRY_MS
          noteEvent()
          onEvent(name, data)
        })
      } catch (error) {
        if (error.status === 401) return
      }
      await new Promise(resolve => setTimeout(resolve, waitMs))
      await poll(onEvent)
    }
  }

  function noteEvent () {
    lastEventAt = Date.now()
    showConnection()
  }

  function showConnection () {
    const isSilent = Date.now() - lastEventAt > SILENT_MS
    const notice = byId('connection')
    document.querySelector('main').classList.toggle('stale', isSilent)
    const text = isSilent ? silentText() : ''
    if (notice.textContent !== text) notice.textContent = text
    notice.hidden = !isSilent
  }

  function silentText () {
    const since = `No response since ${dateTime(lastEventAt)}, retrying. The figures are from that time.`
    return endpoint === 'mount'
      ? `${since} The application itself serves this address, which it cannot do while its event loop is blocked. Use npx loopscope why <pid>, or the page on a separate port (option admin.listen).`
      : since
  }

  /** Reads the figures once, while the stream is not available. */
  async function poll (onEvent) {
    try {
      const answer = await json('/loop')
      noteEvent()
      onEvent('loop', fromLoop(answer))
    } catch {} // the page shows already that the server does not respond
  }

  /** The answer of /loop in the form of an event. */
  function fromLoop ({ series, delay, at: answeredAt, ...rest }) {
    return { ...rest, at: Date.now(), maxDelayMs: 0, utilization: null, answered: null, ...series.at(-1), answeredAt }
  }

  /**
   * Reads server-sent events with fetch(), because EventSource cannot send a token. Resolves when the stream ends.
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

  return { open, useToken, hasToken, json, download, follow, fromLoop }
})()
