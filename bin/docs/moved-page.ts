/**
 * Returns the HTML of a page that has moved. It leads on with the anchor of its address, and without scripts by a link.
 * @param target address of the page, relative to the former one
 */
export function movedPage(target: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>This page has moved</title>
<link rel="canonical" href="${target}">
<link rel="icon" href="data:,">
<script>location.replace(${JSON.stringify(target)} + location.search + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url=${target}"></noscript>
<p>This page has moved: <a href="${target}">read it at its new address</a>.</p>
</html>
`
}
