/* global loopscope */
'use strict'

// What a search finds: counted once where a match stands below another, and of all frames, so that folding changes no share.

loopscope.search = (() => {
  /**
   * @param {any} root  of the tree of all frames; those that are not shown have `isHidden`
   * @param {string} term  in lower case
   * @returns {{ value: number, before: number, shown: number, hidden: number }} shown, hidden: how many frames
   */
  function find (root, term) {
    const found = { value: 0, before: 0, shown: 0, hidden: 0 }
    const waiting = [{ data: root, isCounted: false }]
    for (const { data, isCounted } of waiting) {
      const isMatch = loopscope.words.isFound(data, term)
      if (isMatch) found[data.isHidden ? 'hidden' : 'shown']++
      if (isMatch && !isCounted) {
        found.value += data.value
        found.before += data.before
      }
      for (const child of data.children) waiting.push({ data: child, isCounted: isCounted || isMatch })
    }
    return found
  }

  /**
   * @param {ReturnType<typeof find>} found
   * @param {(found: { value: number, before: number }) => string} shareOf
   */
  function tell (found, shareOf) {
    const { shown, hidden } = found
    if (shown + hidden === 0) return 'no match'
    const frames = shown + hidden === 1 ? 'frame' : 'frames'
    const where = hidden === 0 ? `${shown}` : shown === 0 ? `${hidden} folded` : `${shown} and ${hidden} folded`
    return `${shareOf(found)} in ${where} ${frames}`
  }

  return { find, tell }
})()
