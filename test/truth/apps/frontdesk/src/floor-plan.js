export function floorPlan (floor, rooms) {
  const plan = []
  for (let room = 0; room < rooms; room++) plan.push({ floor, room, beds: (room * 7) % 4, note: `room ${(room * 7919) % rooms}` })
  plan.sort((left, right) => left.note.localeCompare(right.note)) // truth: sort in a bundle
  return plan
}
