/* global document, loopscope */
'use strict'

// Listens to what happens, goes on when the connection breaks, and says since when nobody answers.

loopscope.following = (() => {
  const { byId, moment } = loopscope.display
  const { session } = loopscope
  const MIN_RETRY_MS = 1000
  const MAX_RETRY_MS = 15_000
  const SILENT_MS = 4000 // an event comes each second

  let door = null
  let heardAt = 0

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

  /**
   * @param {string} reachedBy  the door
   * @param {(name: string, data: any) => void} onEvent
   */
  async function follow (reachedBy, onEvent) {
    door = reachedBy
    hear()
    setInterval(showConnection, 1000)
    for (let waitMs = MIN_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      try {
        await session.listen('/live', (name, data) => {
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

  /** While no stream can be had, a look now and then. */
  async function poll (onEvent) {
    try {
      const answer = await session.json('/loop')
      hear()
      onEvent('loop', fromLoop(answer))
    } catch {} // said already
  }

  /** The answer of /loop in the shape of the events. */
  function fromLoop ({ series, delay, at: answeredAt, ...rest }) {
    const { at = Date.now(), maxDelayMs = 0 } = series.at(-1) ?? {}
    return { ...rest, at, maxDelayMs, answeredAt, utilization: delay?.utilization ?? null }
  }

  return { follow, fromLoop }
})()
