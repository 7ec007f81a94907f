import { ponder } from 'ponder:registry'
import { increase } from 'ponder:schema'

const manyAddresses = Array.from(
  { length: 300 },
  (_, at) => `0x${(at + 1).toString(16).padStart(40, '0')}` as const,
)

ponder.on('Counter:Increased', async ({ event, context }) => {
  const { Counter } = context.contracts
  const read = await context.client.readContract({
    abi: Counter.abi,
    address: event.log.address,
    functionName: 'count',
  })
  const addresses = event.args.count === 49n ? manyAddresses : []
  const balances = await Promise.all(addresses.map((address) => context.client.getBalance({ address })))
  await context.db
    .insert(increase)
    .values({ id: event.id, count: event.args.count, read, balances: balances.length })
})
