import { createHash, type Hash } from 'node:crypto'

type Entry = Readonly<{ account: string, cents: number }>

function * entriesOf (count: number): Generator<Entry> {
  for (let index = 0; index < count; index++) yield { account: `account ${index % 500}`, cents: index }
}

export async function reconcile (count: number): Promise<number> {
  await new Promise<void>(resolve => { setTimeout(resolve, 1) })
  const balances: Map<string, number> = new Map()
  for (const { account, cents } of entriesOf(count)) {
    balances.set(account, (balances.get(account) ?? 0) + (cents % 2 === 0 ? cents : -cents)) // truth: TypeScript function after await
  }
  return balances.size
}

export const seal = (hash: Hash = createHash('sha256')): string => hash.digest('hex')
