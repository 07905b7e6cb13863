import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { Secret, verifyHmac, verifyRecent, verifySecret } from '../../core/plugin/index.ts'

const secret = new Secret('a-signing-secret')
const nowMs = 1_800_000_000_000
const hmac = (text: string | Uint8Array, algorithm = 'sha256') =>
  createHmac(algorithm, secret.reveal()).update(text)

describe('proofs of webhooks', () => {
  it('accept a time of any form within the tolerance', () => {
    for (const time of [
      1_800_000_000,
      '1800000000',
      '1799999701.5',
      nowMs,
      String(nowMs),
      '2027-01-15T08:00:00Z',
    ])
      expect(() => verifyRecent(time, nowMs), String(time)).not.to.throw()
    expect(() => verifyRecent('2027-01-15T09:00:00+01:00', nowMs, 0)).not.to.throw()
  })

  it('refuse any other time', () => {
    const odd = [
      undefined,
      '',
      'now',
      '-1800000000',
      '1e9',
      'Infinity',
      '2027-01-15',
      '1799999699',
      '1800000301',
      NaN,
    ]
    for (const time of odd)
      expect(() => verifyRecent(time, nowMs), String(time))
        .to.throw()
        .with.property('code', 'signature_stale')
  })

  it('compare the signature of bytes, of parts and of each algorithm', () => {
    const bytes = Uint8Array.of(0, 0xff, 10)
    verifyHmac({ secret, signed: bytes, signature: hmac(bytes).digest('hex').toUpperCase() })
    const signed = ['v0:', Buffer.from('é'), ':']
    for (const algorithm of ['sha1', 'sha256', 'sha512'] as const)
      verifyHmac({
        secret,
        signed,
        signature: hmac('v0:é:', algorithm).digest('base64'),
        algorithm,
        encoding: 'base64',
      })
  })

  it('refuse a part of a signature, and signatures beyond the tenth', () => {
    const right = hmac('x').digest('hex')
    const codeOf = (signature: string | readonly string[]) => {
      try {
        verifyHmac({ secret, signed: 'x', signature })
        return 'accepted'
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    expect(codeOf([...Array<string>(9).fill('0'), right])).to.equal('accepted')
    expect(codeOf([...Array<string>(10).fill('0'), right])).to.equal('signature_invalid')
    for (const wrong of [right.slice(0, 32), `${right}00`, `${right} `, 'é'])
      expect(codeOf(wrong), wrong).to.equal('signature_invalid')
    for (const none of ['', []]) expect(codeOf(none)).to.equal('signature_missing')
  })

  it('never accept an empty secret', () => {
    for (const empty of [undefined, new Secret('')]) {
      const signature = createHmac('sha256', '').update('x').digest('hex')
      expect(() => verifyHmac({ secret: empty, signed: 'x', signature })).to.throw('no secret')
      expect(() => verifySecret('', empty)).to.throw('no secret')
    }
  })
})
