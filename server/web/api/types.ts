import type { apiApprovalRulesSchema } from '../../http/resources/access/organizations/approval-rules.ts'
import type { apiSessionSchema } from '../../http/resources/access/sign-in/session-view.ts'
import type { apiKeySchema } from '../../http/resources/access/keys/key-view.ts'
import type { apiRolesSchema } from '../../http/resources/access/people/roles.ts'
import type { apiCaseTargetsSchema } from '../../http/resources/cases/case-targets.ts'
import type { apiAccountSchema } from '../../http/resources/access/people/account-view.ts'
import type { apiMeSchema } from '../../http/resources/access/me/me.ts'
import type { apiMySessionsSchema } from '../../http/resources/access/me/my-sessions.ts'
import type { apiAuditEntrySchema } from '../../http/resources/system/audit.ts'
import type { apiProviderSchema } from '../../http/resources/access/organizations/lookups.ts'
import type {
  apiPluginSchema,
  apiSkillDetailSchema,
  apiSkillSchema,
} from '../../http/resources/skills/skills.ts'
import type { apiEngineSchema } from '../../http/resources/system/engine.ts'
import type { apiNodesSchema } from '../../http/resources/system/nodes.ts'
import type { apiListedPlaybookSchema } from '../../http/resources/playbooks/list-playbooks.ts'
import type { apiPlaybookSchema, apiTriggersSchema } from '../../http/resources/playbooks/playbook-view.ts'
import type { apiDraftSchema, apiListedDraftSchema } from '../../http/resources/drafts/drafts.ts'
import type { apiPlaybookResultsSchema } from '../../http/resources/playbooks/playbook-results.ts'
import type {
  apiPlaybookStateSchema,
  apiStateEntrySchema,
} from '../../http/resources/playbooks/playbook-state.ts'
import type { apiCorrelationPreviewSchema } from '../../http/resources/cases/preview-correlation.ts'
import type { apiNumberSchemas } from '../../http/resources/numbers/numbers.ts'
import type {
  apiRelatedCaseSchema,
  apiSeenFindingSchema,
  apiSeenObservableSchema,
} from '../../http/resources/observables/observables.ts'
import type { apiTestResultSchema } from '../../http/resources/playbooks/test-playbook.ts'
import type { apiPlaybookFolderSchema } from '../../http/resources/playbook-set/playbook-set.ts'
import type { apiValidationSchema } from '../../http/resources/playbooks/edit-playbook.ts'
import type { apiCompletionsSchema, apiHoverSchema } from '../../http/resources/playbooks/playbook-editor.ts'
import type { apiManualPlaybookSchema } from '../../http/resources/playbooks/manual-playbooks.ts'
import type { apiGraphSchema } from '../../http/resources/playbooks/playbook-graph.ts'
import type { apiAnswerPreviewSchema } from '../../http/resources/checkpoints/answer-many.ts'
import type { apiNotificationSchema } from '../../http/resources/notifications/notification-view.ts'
import type { apiChoicesSchema } from '../../http/resources/notifications/notifications.ts'
import type { apiRetryPreviewSchema } from '../../http/resources/runs/retry-preview.ts'
import type { Infer } from '../../../core/plugin/index.ts'
import type { apiAlertSchema } from '../../http/schemas/alert.ts'
import type { apiCaseActionSchema } from '../../http/schemas/case-action.ts'
import type { apiListedTaskSchema } from '../../http/schemas/case-work.ts'
import type { apiCaseSchema } from '../../http/schemas/case.ts'
import type { apiCheckpointSchema } from '../../http/schemas/checkpoint.ts'
import type { apiContainmentSchema } from '../../http/schemas/containment.ts'
import type { apiConnectionSchema } from '../../http/schemas/connection.ts'
import type {
  apiActorSchema,
  apiRunSchema,
  apiStepSchema,
  apiStoredErrorSchema,
} from '../../http/schemas/run.ts'

/** Answers of the API, derived from the schemas of the server. Times are epoch milliseconds. */

/** An object of which a single read has all fields, and a list only some. */
type Whole<T> = { [Field in keyof T]-?: Exclude<T[Field], undefined> }

export interface ApiPage<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
  readonly total: number
}

export type ApiSession = Infer<typeof apiSessionSchema>

type AnyAlert = Infer<typeof apiAlertSchema>
/** Fields that depend on the request. */
type OnRequest = 'alert_content' | 'content_preview' | 'content_match' | 'observables' | 'runs'
export type ApiAlert = Whole<Omit<AnyAlert, OnRequest>> & Pick<AnyAlert, OnRequest>

export type ApiRun = Infer<typeof apiRunSchema>
export type ApiRunDetail = Whole<ApiRun>
export type ApiStep = Infer<typeof apiStepSchema>
export type ApiStoredError = Infer<typeof apiStoredErrorSchema>
export type ApiActor = Infer<typeof apiActorSchema>

export type ApiCase = Infer<typeof apiCaseSchema>
export type ApiCaseDetail = Whole<Omit<ApiCase, 'alerts'>> & { readonly alerts: readonly ApiAlert[] }
/** The fields of a case that people can change. */
export type CaseChange = Partial<
  Pick<
    ApiCase,
    'title' | 'summary' | 'status' | 'severity' | 'verdict' | 'assignee' | 'closing_reason' | 'resolution'
  >
>
/** A task in the list of all cases. */
export type ApiListedTask = Infer<typeof apiListedTaskSchema>
export type ApiCaseAction = Infer<typeof apiCaseActionSchema>
export type ApiActionDecision = ApiCaseAction['decisions'][number]
export type ApiCaseEntry = ApiCaseDetail['timeline'][number]
export type ApiObservable = ApiCaseDetail['observables'][number]
export type ApiObservableUse = ApiObservable['used'][number]
export type ApiFinding = ApiObservable['learned'][number]

/** Rows of the tables of numbers. */
export type ApiNumbers = {
  readonly [Table in keyof typeof apiNumberSchemas]: Infer<(typeof apiNumberSchemas)[Table]>
}
export type ApiSeenObservable = Infer<typeof apiSeenObservableSchema>
export type ApiSeenFinding = Infer<typeof apiSeenFindingSchema>
export type ApiRelatedCase = Infer<typeof apiRelatedCaseSchema>

export type ApiContainment = Infer<typeof apiContainmentSchema>
export type ApiCheckpoint = Infer<typeof apiCheckpointSchema>
export type ApiGivenAnswer = NonNullable<ApiCheckpoint['answer']>
export type ApiNotification = Infer<typeof apiNotificationSchema>
export type ApiNotificationChoices = Infer<typeof apiChoicesSchema>
export interface ApiNotifications extends ApiPage<ApiNotification> {
  /** At most 100. */
  readonly unread: number
}
export type ApiConnection = Infer<typeof apiConnectionSchema>

export type ApiAccount = Infer<typeof apiAccountSchema>
export type ApiMe = Infer<typeof apiMeSchema>
export type ApiMySessions = Infer<typeof apiMySessionsSchema>
export type ListedKey = Infer<typeof apiKeySchema>
export type ApiRoles = Infer<typeof apiRolesSchema>
export type ApiRole = ApiRoles['data'][number]
export type ApiCaseTargets = Infer<typeof apiCaseTargetsSchema>
export type ApiAuditEntry = Infer<typeof apiAuditEntrySchema>
/** An organization or a provider. */
export type ApiApprovalRules = Infer<typeof apiApprovalRulesSchema>
export type DirectoryEntry = Infer<typeof apiProviderSchema>
export type ApiPlugin = Infer<typeof apiPluginSchema>
export type ApiSkill = Infer<typeof apiSkillSchema>
export type ApiSkillDetail = Infer<typeof apiSkillDetailSchema>
export type ApiPlaybookFolder = Infer<typeof apiPlaybookFolderSchema>
export type ApiEngine = Infer<typeof apiEngineSchema>
export type ApiNodes = Infer<typeof apiNodesSchema>
export type ApiNode = ApiNodes['data'][number]

export type ApiPlaybook = Infer<typeof apiPlaybookSchema>
export type ApiListedPlaybook = Infer<typeof apiListedPlaybookSchema>
export type ApiManualPlaybook = Infer<typeof apiManualPlaybookSchema>
export type ApiPlaybookDetail = ApiPlaybook & { readonly source: string }
export type ApiDraft = Infer<typeof apiDraftSchema>
export type ApiListedDraft = Infer<typeof apiListedDraftSchema>
export type PlaybookTriggers = Infer<typeof apiTriggersSchema>
export type ApiPlaybookResults = Infer<typeof apiPlaybookResultsSchema>
export type ApiPlaybookState = Infer<typeof apiPlaybookStateSchema>
export type ApiStateEntry = Infer<typeof apiStateEntrySchema>
export type ApiCorrelationPreview = Infer<typeof apiCorrelationPreviewSchema>
export type ApiTestResult = Infer<typeof apiTestResultSchema>
export type Validation = Infer<typeof apiValidationSchema>
export type EditorProblem = Validation['problems'][number]
export type ApiCompletions = Infer<typeof apiCompletionsSchema>
export type ApiHover = Infer<typeof apiHoverSchema>
/** Positions in pixels; `x` and `y` of boxes are their centers. */
export type ApiGraph = Infer<typeof apiGraphSchema>
export type ApiGraphNode = ApiGraph['nodes'][number]

export type AnswerPreview = Infer<typeof apiAnswerPreviewSchema>
export type ApiRetryPreview = Infer<typeof apiRetryPreviewSchema>
export type ApiRepeatedEffect = ApiRetryPreview['repeats'][number]
