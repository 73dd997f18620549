/* global loopscope */
'use strict'

// The section of rules: the state of each and what it did. Hidden if there are no rules.

loopscope.rules = (() => {
  const { byId, dateTime, element } = loopscope.display
  const { describeCounts, describeLast, describeState, describeWhen } = loopscope.ruleText
  const { problems, tables } = loopscope

  const COLUMNS = [
    { title: 'Rule', cell: ({ name }) => element('strong', {}, name) },
    { title: 'When', className: 'place', cell: describeWhen },
    { title: 'Actions', className: 'place', cell: rule => rule.do.join(', ') },
    { title: 'State', cell: describeState },
    { title: 'Counts', cell: describeCounts },
    { title: 'Last fired', className: 'wide', cell: ({ last }) => last === null ? '-' : `${dateTime(last.at)} ${describeLast(last)}` }
  ]

  function show ({ rules, dryRun }) {
    byId('rules-section').hidden = rules.length === 0
    byId('rules-note').hidden = !dryRun
    tables.show('rules', COLUMNS, rules, { empty: '' })
  }

  return { refresh: () => problems.load('rules', '/rules', show) }
})()
