import { ponder } from 'ponder:registry'
import { increase } from 'ponder:schema'

ponder.on('Counter:Increased', async ({ event, context }) => {
  const { Counter } = context.contracts
  const read = await context.client.readContract({
    abi: Counter.abi,
    address: event.log.address,
    functionName: 'count',
  })
  await context.db.insert(increase).values({ id: event.id, count: event.args.count, read })
})
