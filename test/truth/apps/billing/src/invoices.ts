import cloneDeep from 'lodash/cloneDeep'

export interface Filter {
  customer: string
  limit: number
}

interface Invoice {
  readonly id: number
  readonly customer: string
  lines: { text: string, cents: bigint | number }[]
}

enum State { Open, Paid, Overdue }

export class InvoiceService {
  readonly #all: Invoice[] = Array.from({ length: 120_000 }, (_, id) => ({
    id,
    customer: `c${id % 10}`,
    lines: [{ text: `line ${id}`, cents: id * 100 }, { text: 'postage', cents: 495 }]
  }))

  async find ({ customer, limit }: Filter): Promise<{ total: number, state: State }> {
    await Promise.resolve()
    let total = 0
    for (let round = 0; round < limit; round++) {
      const invoice = this.#all[round % this.#all.length]!
      if (invoice.customer !== customer) total += Math.sqrt(invoice.id) * Math.sin(round) // truth: TypeScript method
    }
    return { total, state: State.Open }
  }

  copyAll (customer: string, limit: number): Invoice[] {
    const wanted: Invoice[] = this.#all.slice(0, limit)

    return cloneDeep(wanted) // truth: lodash in TypeScript
  }
}
