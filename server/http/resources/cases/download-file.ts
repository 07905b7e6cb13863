import { sizeText } from '../../../../core/transitions/case-files.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute } from '../../routing/route.ts'
import { requireCase } from './read-case.ts'

export const downloadFile = defineRoute({
  method: 'GET',
  path: '/cases/{case}/files/{hash}',
  access: 'cases:read',
  summary: 'The content of a file of a case, to save. It may be malware: each download is in the audit log.',
  isText: true,
  textType: 'application/octet-stream',
  answer: { type: 'string' },
  async handle({ params, caller }, services) {
    const { stores } = services
    const { id, title, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const file = await stores.cases.files.open([organizationUuid], id, params.hash.toLowerCase())
    if (file === undefined) {
      throw new RequestError('file_not_found', undefined, {
        hint: 'GET cases/<case> lists its files; the retention policy may have deleted the content',
      })
    }
    const { name, size, sha256 } = file
    await stores.audit.record({
      action: 'case.file_downloaded',
      by: caller.actor,
      organizationUuid,
      subject: { kind: 'case', id, name: title },
      details: { file: name, sha256, size: sizeText(size) },
    })
    return { file: { name, size, content: file.content() } }
  },
})
