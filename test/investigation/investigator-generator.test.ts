import { expect } from 'chai'
import { join } from 'node:path'
import { theServer } from '../../core/domain/audit.ts'
import { createInvestigatorGenerator } from '../../core/investigation/investigator-generator.ts'
import { playbookFilesIn } from '../../server/playbooks-folder/folder-files.ts'
import { openPlaybookLibrary } from '../../core/investigation/playbook-library.ts'
import { Secret } from '../../core/plugin/index.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { openTemporaryStores } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'

describe('generated playbooks', () => {
  it('are generated once per set of connections, and again after a connection was added or changed', async () => {
    const { stores, dispose } = await openTemporaryStores()
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const catalogue = await discoverPlugins({ pluginsDir: join(import.meta.dirname, '../../plugins') })
    const library = await openPlaybookLibrary({
      store: stores.playbooks,
      catalogue,
      log,
      files: playbookFilesIn('/nowhere'),
    })
    let kept = 0
    const counting = {
      ...library,
      keep: (...given: Parameters<typeof library.keep>) => (kept++, library.keep(...given)),
    }
    const { generate: made, known } = createInvestigatorGenerator({
      stores,
      library: counting,
      catalogue,
      log,
    })
    const [acme, beta] = await Promise.all(
      ['acme', 'beta'].map((code) => stores.organizations.create({ code, name: code }, somebody())),
    )
    const first = await made('phishing', acme!)
    expect(await made('phishing', acme!)).to.equal(first)
    expect(await known('phishing', acme!)).to.equal(first)
    expect(await known('malware', acme!)).to.equal(undefined)
    expect(kept).to.equal(1)
    expect((await made('phishing', beta!)).name).to.equal('investigate-phishing-beta')
    expect((await made('malware', acme!)).name).to.equal('investigate-malware-acme')
    const secrets = { api_key: new Secret('secret') }
    const given = { name: 'intel', plugin: 'intel_provider', settings: {}, secrets }
    const { uuid } = await stores.connections.create(acme!.uuid, given, theServer)
    const second = await made('phishing', acme!)
    expect(second.source).to.include('"intel"').and.not.equal(first.source)
    await stores.connections.update(acme!.uuid, uuid, { enabled: false }, undefined, theServer)
    expect((await made('phishing', acme!)).source).to.include('are disabled (intel)')
    await stores.connections.remove(acme!.uuid, uuid, undefined, theServer)
    expect((await made('phishing', acme!)).source).to.equal(first.source)
    expect((await stores.playbooks.find([acme!.uuid], first.name))?.hash).to.equal(first.hash)
    await dispose()
  })
})
