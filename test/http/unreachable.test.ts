import { expect } from 'chai'
import { unreachableFromOutside } from '../../server/config/unreachable.ts'

describe('addresses in manifests', () => {
  for (const [address, why] of [
    ['http://127.0.0.1:8080', 'only reachable on this machine'],
    ['https://localhost', 'only reachable on this machine'],
    ['https://[::1]:8443', 'only reachable on this machine'],
    ['https://10.1.2.3', 'a private address'],
    ['https://192.168.0.4:8443', 'a private address'],
    ['https://[fd00::7]', 'a private address'],
    ['https://[::ffff:10.0.0.1]', 'a private address'],
    ['https://0.0.0.0', 'a private address'],
    ['https://tocsin', 'a private address'],
    ['https://tocsin.corp.internal', 'a private address'],
    ['http://tocsin.example.com', 'not https'],
  ] as const) {
    it(`cause a warning if other systems cannot reach them: ${address}`, () => {
      expect(unreachableFromOutside(address)).to.include(why).and.include('TOCSIN_PUBLIC_URL')
    })
  }

  for (const address of ['https://tocsin.example.com', 'https://8.8.8.8:8443', 'https://[2606:4700::1]']) {
    it(`cause no warning if reachable: ${address}`, () =>
      expect(unreachableFromOutside(address)).to.equal(undefined))
  }
})
