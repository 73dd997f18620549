import express from 'express'
import { suggest } from './suggest.js'
import { importGuests } from './guests.js'
import { floorPlan } from './floor-plan.js'

const app = express()

app.get('/suggest/:prefix', suggest)
app.post('/guests', express.json({ limit: '320mb' }), importGuests)
app.get('/floors/:floor', (req, res) => {
  const plan = floorPlan(Number(req.params.floor), Number(req.query.rooms))
  res.json({ rooms: plan.length })
})

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', port: server.address().port }))
})
