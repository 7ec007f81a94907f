const integer = { type: 'integer' }

/** A contract with one method, for the recipes of `docs/backend.md`. */
export const sumsContract = {
  openrpc: '1.3.2',
  info: { title: 'Sums', version: '1.0.0' },
  methods: [
    {
      name: 'add',
      params: ['a', 'b'].map((name) => ({ name, required: true, schema: integer })),
      result: { name: 'sum', schema: integer },
    },
  ],
}
