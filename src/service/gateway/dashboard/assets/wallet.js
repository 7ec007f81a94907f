// Adds the network of a key to a browser wallet (EIP-3085). Wallets announce themselves (EIP-6963) or are found as
// `window.ethereum` (EIP-1193).

const refusedByUser = 4001
const place = document.querySelector('[data-wallet]')
const parameters = JSON.parse(place.dataset.wallet)
const buttons = place.querySelector('[data-wallets]')
const answer = place.querySelector('[data-wallet-answer]')
const offered = new Set()

function offer(provider, name) {
  if (offered.has(provider)) return
  offered.add(provider)
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `Add to ${name}`
  button.addEventListener('click', async () => {
    button.disabled = true
    answer.textContent = ''
    try {
      await provider.request({ method: 'wallet_addEthereumChain', params: [parameters] })
      answer.textContent = `Network added to ${name}.`
    } catch (error) {
      answer.textContent =
        error?.code === refusedByUser
          ? `You declined the request in ${name}.`
          : `${name} did not add the network: ${error?.message ?? 'no reason given'}`
    }
    button.disabled = false
  })
  buttons.append(button)
}

addEventListener('eip6963:announceProvider', ({ detail }) => offer(detail.provider, detail.info.name))
dispatchEvent(new Event('eip6963:requestProvider'))
if (offered.size === 0 && window.ethereum !== undefined) offer(window.ethereum, 'the wallet')
