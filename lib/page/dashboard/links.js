/* global addEventListener, history, location, loopscope, navigator */
'use strict'

// Links to what the page shows: #stall=12, #finding=…, #from=…&to=…. They are fragments, which browsers do not send to any server, and which stay
// in the address while the page asks for a token.

loopscope.links = (() => {
  const { element } = loopscope.display

  /** @returns {Record<string, string>} the parameters of the address */
  function read () {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B')))
  }

  /** @param {Record<string, string | number>} target  replaces that of the address */
  function write (target) {
    const hash = new URLSearchParams(target).toString()
    history.replaceState(null, '', location.pathname + location.search + (hash === '' ? '' : `#${hash.replaceAll('+', '%20')}`))
  }

  /**
   * A button that copies a link. It also puts the link into the address bar: browsers forbid the clipboard on addresses that are neither https nor
   * this machine.
   * @param {string} key
   * @param {() => Record<string, string | number>} targetOf
   */
  function button (key, targetOf) {
    const made = element('button', { type: 'button' }, 'Copy link')
    made.dataset.key = `link ${key}`
    made.addEventListener('click', async () => {
      write(targetOf())
      made.ariaLive = 'polite'
      made.textContent = await copied(location.href) ? 'Link copied' : 'The link is in the address bar'
    })
    return made
  }

  async function copied (text) {
    try {
      await navigator.clipboard.writeText(text)
      return true
    } catch {
      return false
    }
  }

  /** @param {() => void} open  called when the reader follows a link on the page, or changes the address */
  function follow (open) {
    addEventListener('hashchange', open)
  }

  return { button, follow, read, write }
})()
