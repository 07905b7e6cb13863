import { expect } from 'chai'
import { isAllowedAddress } from '../../server/egress/address-guard.ts'
import { parseAllowList } from '../../server/egress/allow-list.ts'

describe('isAllowedAddress', () => {
  const nothing = parseAllowList([])

  it('allows public addresses', () => {
    for (const address of ['93.184.215.14', '8.8.8.8', '2606:4700:4700::1111']) {
      expect(isAllowedAddress(address, false, nothing), address).to.equal(true)
    }
  })

  it('refuses invalid and scoped addresses', () => {
    for (const address of ['', 'example.com', '2606:4700::1%eth0']) {
      expect(isAllowedAddress(address, false, nothing), address).to.equal(false)
    }
  })

  it('refuses cloud metadata addresses even if allowed', () => {
    const everything = parseAllowList(['0.0.0.0/0', '::/0'])
    expect(isAllowedAddress('10.0.0.1', false, everything)).to.equal(true)
    for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '168.63.129.16']) {
      expect(isAllowedAddress(address, true, everything), address).to.equal(false)
    }
  })
})

describe('parseAllowList', () => {
  for (const entry of [
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    'https://host',
    'host/path',
    'user@host',
    'host:port',
    'a b',
  ]) {
    it(`refuses '${entry}' and names it`, () => expect(() => parseAllowList([entry])).to.throw(`'${entry}'`))
  }

  it('accepts IPv6 addresses with and without a port', () => {
    expect(parseAllowList(['::1']).allowsHost('[::1]', 443)).to.equal(true)
    expect(parseAllowList(['[::1]:8443']).allowsHost('[::1]', 8443)).to.equal(true)
    expect(parseAllowList(['[::1]:8443']).allowsHost('[::1]', 443)).to.equal(false)
  })
})
