import { Injectable, type PipeTransform } from '@nestjs/common'

export interface Stay { from: string, nights: number }

@Injectable()
export class StayPipe implements PipeTransform {
  transform (value: Stay): Stay {
    let weekends = 0
    for (let night = 0; night < value.nights; night++) {
      if (new Date(value.from).getDay() === night % 7) weekends++ // truth: Nest pipe
    }
    return { ...value, nights: value.nights - weekends }
  }
}
