import { Injectable } from '@nestjs/common'

interface Hotel { id: number, name: string, stars: number, rooms: number[], address: { street: string, city: string } }

const addressOf = (id: number) => ({ street: `Street ${id % 999}`, city: ['Lisbon', 'Ghent'][id % 2] })

@Injectable()
export class HotelsService {
  private readonly hotels: Hotel[] = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `Hotel ${id}`, stars: id % 6, rooms: [id, id + 1], address: addressOf(id) }))

  async bestRate (id: number, nights: number): Promise<number> {
    await new Promise<void>(resolve => { setTimeout(resolve, 1) })
    let best = Infinity
    for (let night = 1; night < nights; night++) {
      best = Math.min(best, Math.abs(Math.cos(night * id)) * 100) // truth: Nest service
    }
    return best
  }

  list (limit: number): Hotel[] {
    const found: Hotel[] = []
    while (found.length < limit) found.push(this.hotels[found.length % this.hotels.length])
    return found
  }
}
