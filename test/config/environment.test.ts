import { expect } from 'chai'
import {
  hideSecretVariables,
  processEnvironment,
  takeSecretVariables,
} from '../../server/config/environment.ts'

describe('variables that connections may refer to', () => {
  const names = ['TOCSIN_SECRET_VARIABLES', 'ACME_KEY', 'ACMEX', 'GLOBEX_KEY', 'TOCSIN_VAULT_TOKEN']
  afterEach(() => {
    for (const name of names) delete process.env[name]
    takeSecretVariables()
  })

  it('are hidden from plugins and child processes, like credentials of the server', () => {
    Object.assign(process.env, {
      TOCSIN_SECRET_VARIABLES: 'acme=ACME_*; *=GLOBEX_KEY',
      ACME_KEY: 'canary-1',
      ACMEX: 'x',
      GLOBEX_KEY: 'canary-2',
      TOCSIN_VAULT_TOKEN: 'canary-3',
    })
    hideSecretVariables()
    expect(names.filter((name) => name in process.env)).to.deep.equal(['TOCSIN_SECRET_VARIABLES', 'ACMEX'])
    expect(processEnvironment()).to.include({
      ACME_KEY: 'canary-1',
      GLOBEX_KEY: 'canary-2',
      TOCSIN_VAULT_TOKEN: 'canary-3',
    })
  })
})
