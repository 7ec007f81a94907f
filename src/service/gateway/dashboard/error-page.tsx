interface ErrorPageProps {
  /** HTTP status. */
  readonly status: number
  readonly message: string
}

const titles: Readonly<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  413: 'Too large',
  429: 'Too many attempts',
  503: 'Not available',
}

/** The page for errors. */
export function ErrorPage({ status, message }: ErrorPageProps) {
  return (
    <section class="narrow">
      <p class="eyebrow">{status}</p>
      <h1>{titles[status] ?? 'Something went wrong'}</h1>
      <p>{message}</p>
      <p>
        <a href="/">Back to the home page</a>
      </p>
    </section>
  )
}
