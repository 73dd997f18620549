/* global innerHeight, innerWidth, loopscope */
'use strict'

// What a frame says beside the pointer, as d3-flame-graph wants it made.

/**
 * @param {HTMLElement} tip
 * @param {(data: any) => string} describe
 */
loopscope.createTooltip = (tip, describe) => {
  function tooltip () {}
  tooltip.show = (event, { data }) => {
    tip.textContent = describe(data)
    tip.hidden = false
    const { width, height } = tip.getBoundingClientRect()
    const left = Math.min(event.clientX + 12, innerWidth - width - 8)
    const below = event.clientY + 16
    tip.style.left = `${Math.max(8, left)}px`
    tip.style.top = `${below + height < innerHeight - 8 ? below : Math.max(8, event.clientY - height - 12)}px`
  }
  tooltip.hide = () => { tip.hidden = true }
  return tooltip
}
