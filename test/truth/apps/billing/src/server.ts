import type { AddressInfo } from 'node:net'
import { createApp } from './app'

const server = createApp().listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', port }))
})
