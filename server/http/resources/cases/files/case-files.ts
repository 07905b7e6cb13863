import type { CaseAttachment } from '../../../../../core/domain/case.ts'
import type { UploadedFile } from '../../../../../core/ports/case-file-store.ts'
import { sizeText } from '../../../../../core/transitions/case-files.ts'
import { patterns } from '../../../request/patterns.ts'
import { RequestError } from '../../../request/request-error.ts'
import { defineRoute, type Answer } from '../../../routing/route.ts'
import { apiCaseFileSchema } from '../../../schemas/case-file.ts'
import { objectSchema } from '../../system/page.ts'
import { attachmentView } from '../case-view.ts'
import { requireCase } from '../read-case.ts'

const count = { type: 'integer', minimum: 0 } as const

const listFiles = defineRoute({
  method: 'GET',
  path: '/cases/{case}/files',
  access: 'cases:read',
  summary: 'The files of a case, oldest first, and the limits for further ones.',
  answer: objectSchema({
    data: { type: 'array', items: apiCaseFileSchema },
    limits: objectSchema({
      file_bytes: { ...count, description: 'Of one file.' },
      case_bytes: { ...count, description: 'Of all files of a case.' },
      organization_bytes: { ...count, description: 'Of all files of an organization.' },
    }),
  }),
  async handle({ params, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const { files } = services.stores.cases
    const data = (await files.list([organizationUuid], id)).map(attachmentView)
    const { file, case: ofCase, organization } = files.limits
    const limits = { file_bytes: file, case_bytes: ofCase, organization_bytes: organization }
    return { body: { data, limits } }
  },
})

/** Contents that the case had already are no new file. */
const uploadAnswer = ({ file, isNew }: UploadedFile, caseId: string): Answer => ({
  body: attachmentView(file),
  ...(!isNew && { status: 200 }),
  location: `/cases/${caseId}/files/${file.sha256}`,
})

const uploadFile = defineRoute({
  method: 'POST',
  path: '/cases/{case}/files',
  access: 'cases:write',
  summary:
    'Attaches the body of the request to a case, as a file. A content that the case has already is not attached again: the answer is ' +
    'the earlier file, with status 200.',
  status: 201,
  answer: apiCaseFileSchema,
  query: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 4_096,
      description:
        'Name of the file. 255 characters are kept; those that could be a path or change how the name is read become `_`.',
    },
  },
  stream: {
    isSame: ({ body }, sha256) => (body as { readonly sha256?: string }).sha256 === sha256,
  },
  recall: {
    keeps: (written) => written,
    async answer(written, { caller, params }, services) {
      const { id } = await requireCase(services, caller.scope, params['case'] ?? '')
      return uploadAnswer(written as UploadedFile, id)
    },
  },
  async handle({ params, query, stream, headers, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const uploaded = await services.stores.cases.files.upload(
      organizationUuid,
      id,
      { name: query.name ?? 'file', contentType: headers['content-type'], ...stream },
      caller.actor,
    )
    return uploadAnswer(uploaded, id)
  },
})

const downloadFile = defineRoute({
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

const withdrawFile = defineRoute({
  method: 'POST',
  path: '/cases/{case}/files/{hash}/withdraw',
  access: 'cases:write',
  summary: 'Deletes the content of a file of a case. Its name, its hash and the reason stay.',
  answer: apiCaseFileSchema,
  body: {
    required: ['reason'],
    properties: {
      reason: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        ...patterns.line,
        description: 'For the timeline.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    const withdrawn: CaseAttachment = await services.stores.cases.files.withdraw(
      organizationUuid,
      id,
      params.hash.toLowerCase(),
      body.reason,
      caller.actor,
    )
    return { body: attachmentView(withdrawn) }
  },
})

export const caseFileRoutes = [listFiles, uploadFile, downloadFile, withdrawFile]
