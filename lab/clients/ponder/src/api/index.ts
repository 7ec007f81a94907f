import { db } from 'ponder:api'
import schema from 'ponder:schema'
import { Hono } from 'hono'

const app = new Hono()

app.get('/increases', async (context) => {
  const rows = await db.select().from(schema.increase)
  return context.json(
    rows
      .map(({ count, read, balances }) => [Number(count), Number(read), balances])
      .sort((a, b) => a[0] - b[0]),
  )
})

export default app
