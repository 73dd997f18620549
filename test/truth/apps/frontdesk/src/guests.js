import uniqWith from 'lodash/uniqWith.js'
import isEqual from 'lodash/isEqual.js'

export function importGuests (req, res) {
  const guests = Array.from({ length: Number(req.query.guests) }, (_, id) => ({ id, name: `Guest ${id}`, beds: id % 3 }))
  const unique = withoutDoubles(guests)
  res.status(201).json({ imported: unique.length })
}

function withoutDoubles (guests) {
  const unique = uniqWith(guests, isEqual) // truth: lodash in a bundle
  return unique
}
