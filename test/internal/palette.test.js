'use strict'

// The colors of flame graphs: what is written on them can be read, and a change for the better is told from one for the worse, also by
// those who do not see all colors.

const test = require('node:test')
const assert = require('node:assert/strict')
const { readProject } = require('./project')

const PALETTE = 'lib/page/shell/palette.css'
const FRAMES = ['app', 'dependency', 'wasm', 'node', 'native', 'gc', 'idle', 'route', 'all', 'match']
const CHANGES = ['hottest', 'hotter', 'warm', 'same', 'cool', 'colder', 'coldest']

/** @returns {[scheme: string, colorOf: (name: string) => number[]][]} linear red, green and blue */
function schemes () {
  return readProject(PALETTE).split('@media (prefers-color-scheme: dark)').map((text, index) => {
    const colors = new Map([...text.matchAll(/--([a-z-]+): #([0-9a-f]{6})/g)].map(([, name, hex]) => [name, linear(hex)]))
    return [index === 0 ? 'light' : 'dark', name => colors.get(name)]
  })
}

function linear (hex) {
  return [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16) / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
}

const times = (matrix, vector) => matrix.map(row => row.reduce((sum, factor, index) => sum + factor * vector[index], 0))
const luminance = color => times([[0.2126, 0.7152, 0.0722]], color)[0]

/** What WCAG calls contrast. */
function contrast (one, other) {
  const [less, more] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (more + 0.05) / (less + 0.05)
}

// As people see them who lack one kind of cones (Viénot, Brettel and Mollon 1999; tritanopia as Machado, Oliveira and Fernandes 2009).
const EYES = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no red': [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  'no green': [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
  'no blue': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
}

/** Distance in Oklab, times 100: below 2 nobody sees it. */
function distance (one, other, eyes) {
  const [a, b] = [one, other].map(color => oklab(times(EYES[eyes], color)))
  return 100 * Math.hypot(...a.map((part, index) => part - b[index]))
}

function oklab (color) {
  const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]], color)
  return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], cones.map(Math.cbrt))
}

for (const [scheme, colorOf] of schemes()) {
  test(`what is written on a frame can be read, ${scheme}`, () => {
    for (const name of [...FRAMES, ...CHANGES]) {
      const ratio = contrast(colorOf(name), colorOf('label'))
      assert.ok(ratio >= 4.5, `${name}: ${ratio.toFixed(2)}`)
    }
  })

  for (const eyes of Object.keys(EYES)) {
    test(`hotter and colder are distinguishable, ${scheme}, ${eyes === 'all' ? 'by all' : `by readers who see ${eyes}`}`, () => {
      for (const [index, one] of CHANGES.entries()) {
        for (const other of CHANGES.slice(index + 1)) {
          const seen = distance(colorOf(one), colorOf(other), eyes)
          assert.ok(seen >= 4, `${one} and ${other}: ${seen.toFixed(1)}`)
        }
      }
    })
  }
}
