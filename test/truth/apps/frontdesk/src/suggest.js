const names = Array.from({ length: 5000 }, (_, index) => `Guest ${index * 7919 % 5003} of the house`)

export async function suggest (req, res) {
  await new Promise(resolve => setTimeout(resolve, 1))
  const found = searchNames(req.params.prefix, Number(req.query.rounds))
  res.json({ found })
}

function searchNames (prefix, rounds) {
  let found = 0
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      if (name.toLowerCase().includes(`${prefix}${round % 10}`)) found++ // truth: bundle after await
    }
  }
  return found
}
