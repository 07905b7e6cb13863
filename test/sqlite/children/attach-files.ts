/** Attaches files to a case one by one, and prints the hash of each when it is acknowledged. */
import { writeSync } from 'node:fs'
import { theServer } from '../../../core/domain/audit.ts'
import { openStoresIn } from '../../support/stores.ts'

const [dataDir = '', organizationUuid = '', caseId = ''] = process.argv.slice(2)
const stores = await openStoresIn(dataDir)
for (let count = 0; ; count++) {
  const bytes = Buffer.alloc(3_000_000, `file ${process.pid} ${count} `)
  const { sha256 } = await stores.cases.files.attach(
    organizationUuid,
    caseId,
    { name: 'x', bytes },
    theServer,
  )
  writeSync(1, `${sha256}\n`)
}
