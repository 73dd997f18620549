import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { AppModule } from './app.module'

async function bootstrap () {
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: false })
  app.useBodyParser('json', { limit: '320mb' })
  await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
  console.log(JSON.stringify({ msg: 'listening', port: app.getHttpServer().address().port }))
}

bootstrap()
