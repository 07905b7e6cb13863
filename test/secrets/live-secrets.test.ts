import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { Secret } from '../../core/plugin/index.ts'
import { createLiveSecrets, observeSecrets } from '../../server/secrets/live-secrets.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { loadMasterKey } from '../../server/secrets/master-key.ts'

const box = () =>
  createSecretBox(loadMasterKey('', { TOCSIN_MASTER_KEY: randomBytes(32).toString('base64') }))
const place = { organizationUuid: 'o', connectionUuid: 'c', field: 'f' }

describe('live secrets', () => {
  it('are redacted in every form, longest first', () => {
    const live = createLiveSecrets(['canary-pinned'])
    live.add('canary')
    live.add('canary/long "one"')
    for (const secret of ['canary-pinned', 'canary', 'canary/long "one"']) {
      const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret), btoa(secret)]
      expect(live.redact(forms.join(' '))).to.match(
        /^\[redacted\] \[redacted\] "?\[redacted\]"? \[redacted\]$/,
      )
    }
  })

  it('are bounded: the least recently used is dropped, pinned ones never', () => {
    const live = createLiveSecrets(['canary-pinned'])
    live.add('canary-first')
    live.add('canary-used')
    for (let count = 0; count < 1_099; count++) {
      live.add(`token-${count}`)
      live.add('canary-used')
    }
    expect(live.redact('canary-first canary-used canary-pinned')).to.equal(
      'canary-first [redacted] [redacted]',
    )
  })

  it('include secrets that the box opens and seals', () => {
    const inner = box()
    const live = createLiveSecrets()
    observeSecrets(inner, live).seal(place, new Secret('canary-sealed'))
    observeSecrets(inner, live).open(place, inner.seal(place, new Secret('canary-opened')))
    expect(live.redact('canary-sealed canary-opened')).to.equal('[redacted] [redacted]')
  })

  it('exclude the text that checks the master key', () => {
    const live = createLiveSecrets()
    const own = { ...place, connectionUuid: '' }
    const observed = observeSecrets(box(), live)
    observed.open(own, observed.seal(own, new Secret('tocsin')))
    expect(live.redact('tocsin')).to.equal('tocsin')
  })
})
