import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common'
import { HotelsService } from './hotels.service'
import { StayPipe, type Stay } from './stay.pipe'

@Controller('hotels')
export class HotelsController {
  constructor (@Inject(HotelsService) private readonly hotels: HotelsService) {}

  @Get(':id/rates')
  async rates (@Param('id') id: string, @Query('nights') nights: string) {
    const best = await this.hotels.bestRate(Number(id), Number(nights))
    return { best }
  }

  @Get()
  list (@Query('limit') limit: string) {
    return this.hotels.list(Number(limit))
  }

  @Post(':id/stays')
  book (@Body(StayPipe) stay: Stay) {
    return { nights: stay.nights }
  }
}
