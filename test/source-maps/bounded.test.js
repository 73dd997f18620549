'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { OriginalPositions } = require('../../lib/source-maps/original-positions')

const MAX = 1000
const placesOf = (from, count) => Array.from({ length: count }, (_, index) => ({ line: from + index, column: 0, name: 'f' }))
const originalsOf = places => places.map(({ line }) => ({ file: 'a.ts', line, column: 0, name: 'f' }))

test('what is known of places is bounded, and what was asked for last stays', () => {
  const known = new OriginalPositions(MAX)
  for (let script = 0; script < 50; script++) {
    const places = placesOf(0, 100)
    known.add({ url: `/app/${script}.js`, places }, { hasMap: true, places: originalsOf(places) })
    known.unknown([{ url: '/app/0.js', place: places[0] }])
    assert.ok(known.size <= MAX)
  }
  assert.equal(known.size, MAX)
  assert.equal(known.lookUp('/app/0.js', placesOf(7, 1)[0])?.line, 7)
  assert.equal(known.lookUp('/app/1.js', placesOf(7, 1)[0]), null)
  assert.equal(known.lookUp('/app/49.js', placesOf(7, 1)[0])?.line, 7)
})

test('one script with more places than all may have keeps none of the others, and begins anew', () => {
  const known = new OriginalPositions(MAX)
  for (let round = 0; round < 20; round++) {
    const places = placesOf(round * 300, 300)
    known.add({ url: '/app/bundle.js', places }, { hasMap: true, places: originalsOf(places) })
    assert.equal(known.lookUp('/app/bundle.js', places[5])?.line, round * 300 + 5)
    assert.ok(known.size <= MAX, `${known.size}`)
  }
})

test('a script without a map is asked for once', () => {
  const known = new OriginalPositions(MAX)
  const [place, other] = placesOf(0, 2)
  assert.deepEqual(known.unknown([{ url: '/app/a.js', place }, { url: '/app/a.js', place }]), [{ url: '/app/a.js', places: [place] }])
  known.add({ url: '/app/a.js', places: [place] }, { hasMap: false, places: [null] })
  assert.deepEqual(known.unknown([{ url: '/app/a.js', place: other }]), [])
})
