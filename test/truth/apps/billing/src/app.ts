import express, { type Request, type Response } from 'express'
import { InvoiceService, type Filter } from './invoices'
import { reconcile } from './ledger'

export function createApp () {
  const app = express()
  const invoices = new InvoiceService()

  app.get('/invoices/:customer', async (req: Request<{ customer: string }>, res: Response) => {
    const filter: Filter = { customer: req.params.customer, limit: Number(req.query.limit) }
    const found = await invoices.find(filter)
    res.json({ total: found.total })
  })

  app.get('/invoices/:customer/copy', (req: Request<{ customer: string }>, res: Response) => {
    const copy = invoices.copyAll(req.params.customer, Number(req.query.limit))
    res.json({ copied: copy.length })
  })

  app.post('/ledger/reconcile', async (req: Request, res: Response) => {
    res.json({ open: await reconcile(Number(req.query.entries)) })
  })

  return app
}
