'use strict'

// A figure over a size, as an SVG.

/** @import { Figure } from '../scale' */

const SIZE = Object.freeze({ width: 300, height: 160 })
const COLOR = '#2563eb'

/**
 * @param {Figure} figure
 * @param {{ name: string, sizes: number[], sizeNames: string[] }} over
 * @returns {Promise<string>}
 */
async function plot (figure, { name, sizes, sizeNames }) {
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')])
  const labels = Object.fromEntries(sizes.map((size, at) => [size, sizeNames[at]]))
  const { spec } = compile({
    ...SIZE,
    background: 'white', // it is read on dark pages too
    data: { values: sizes.map((size, at) => ({ size, value: figure.values[at] })) },
    mark: { type: 'line', color: COLOR, point: { color: COLOR, size: 40 } },
    encoding: {
      x: { field: 'size', type: 'quantitative', title: name, scale: { type: 'log' }, axis: { values: sizes, labelExpr: `${JSON.stringify(labels)}[datum.value]`, grid: false, labelAngle: -30, labelOverlap: false } },
      y: { field: 'value', type: 'quantitative', title: figure.name, scale: { zero: true, nice: true } }
    }
  })
  return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG()
}

module.exports = { plot }
