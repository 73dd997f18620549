/* global loopscope */
'use strict'

// The rules of the application, how each stands, and what it did; hidden where there are none.

loopscope.rules = (() => {
  const { byId, element, moment } = loopscope.display
  const { describeCounts, describeLast, describeNow, describeWhen } = loopscope.ruleWords
  const { problems, session, tables } = loopscope

  const COLUMNS = [
    { title: 'Rule', cell: ({ name }) => element('strong', {}, name) },
    { title: 'When', className: 'place', cell: describeWhen },
    { title: 'Does', className: 'place', cell: rule => rule.do.join(', ') },
    { title: 'Now', cell: describeNow },
    { title: 'Did', cell: describeCounts },
    { title: 'Last', className: 'wide', cell: ({ last }) => last === null ? '-' : `${moment(last.at)} ${describeLast(last)}` }
  ]

  async function refresh () {
    const answer = await problems.watch('rules', () => session.json('/rules'))
    if (answer === undefined) return
    byId('rules-section').hidden = answer.rules.length === 0
    byId('rules-note').hidden = !answer.dryRun
    tables.show('rules', COLUMNS, answer.rules, { empty: '' })
  }

  return { refresh }
})()
