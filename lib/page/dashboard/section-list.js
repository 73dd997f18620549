/* global IntersectionObserver, MutationObserver, document, loopscope */
'use strict'

// The list of sections, which stays in sight: a link to each that is there, and which one is being read.

loopscope.sectionList = (() => {
  const { byId, element } = loopscope.display

  function start () {
    const sections = [...document.querySelectorAll('main > section[data-short]')]
    const links = new Map(sections.map(section => {
      const link = element('a', { href: `#${section.getAttribute('aria-labelledby')}`, hidden: section.hidden }, section.dataset.short)
      link.addEventListener('click', event => {
        event.preventDefault() // the address keeps its link to a stall or a finding
        section.scrollIntoView()
        const title = byId(section.getAttribute('aria-labelledby'))
        title.tabIndex = -1
        title.focus({ preventScroll: true })
      })
      return [section, link]
    }))
    byId('sections').append(...links.values())
    const appearing = new MutationObserver(changes => {
      for (const { target } of changes) links.get(target).hidden = target.hidden
    })
    for (const section of sections) appearing.observe(section, { attributeFilter: ['hidden'] })
    const reading = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) for (const [section, link] of links) link.ariaCurrent = section === target ? 'true' : null
      }
    }, { rootMargin: '-15% 0px -80% 0px' })
    for (const section of sections) reading.observe(section)
  }

  return { start }
})()
