'use strict'

const yaml = require('js-yaml')

const nameOf = index => `${'ÄOuéß'[index % 5]}rticle ${(index * 7919) % 100_003}`
const ITEMS = Array.from({ length: 200_000 }, (_, index) => ({ id: index, name: nameOf(index), stock: index % 50 }))
const FEED = ITEMS.concat(ITEMS).map(item => JSON.stringify({ ...item, supplier: { name: item.name, terms: [item.id, 14, 30] } }))

function sortByName (limit) {
  const items = ITEMS.slice(0, limit)
  items.sort((left, right) => left.name.localeCompare(right.name)) // truth: sort
  return items
}

async function loadCatalogue (count) {
  const text = await fetchFeed(count)
  const feed = JSON.parse(text) // truth: JSON.parse after await
  return feed.length
}

async function fetchFeed (count) {
  await new Promise(resolve => setTimeout(resolve, 1))
  return `[${FEED.slice(0, count).join(',')}]`
}

function readShelves (text) {
  const { shelves } = yaml.load(text) // truth: js-yaml
  return shelves
}

module.exports = { sortByName, loadCatalogue, readShelves }
