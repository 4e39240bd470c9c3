// The names that the pages give to answers of the API. Everything comes from schema.ts; here it has shorter names, and what Go's
// JSON only calls a value says what it is.
import type { BodyOf, Schemas } from './described';
export type { Json } from './schema';

export type Workflow = Schemas['Workflow'] & Pick<Schemas['ListedWorkflow'], 'schedule_words'> & Partial<Pick<Schemas['ListedWorkflow'], 'next_run'>> & Partial<Pick<Schemas['WorkflowView'], 'notifications' | 'queued' | 'repairs' | 'repairs_stopped' | 'triggers' | 'unfinished' | 'unreadable'>>;

export type Run = Schemas['Run'] & Partial<Pick<Schemas['ListedRun'], 'workflow_title'>>;
export type Lately = Schemas['Lately'];
export type Outage = Schemas['Outage'];
export type RunDetail = Schemas['RunView'];
export type Call = Schemas['RunCall'];
export type Waterfall = Schemas['Calls'];
export type CallTiming = Schemas['Call'];

export type WriteCall = Schemas['GateWrite'];
export type Changed = Schemas['GateChanged'];
export type Alternative = Schemas['WorkflowAlternative'];
export type Fix = Schemas['Fix'] & Partial<Pick<Schemas['FixView'], 'diff' | 'exempt' | 'held' | 'to_write' | 'workflow_title' | 'written'>>;

export type Notification = Schemas['Notification'];

export type Version = Schemas['Version'];
export type SaveCheck = Schemas['RehearsalSaveCheck'];
export type Schedule = Schemas['Scheduled'];
export type NewSchedule = BodyOf<'put', '/workflows/{workflow}/schedule'>;

export type TimelineEntry = Schemas['TimelineEntry'];
export type Significance = NonNullable<Schemas['TimelineChoice']['significance']>[number];
export type Thread = Schemas['Thread'] & Partial<Pick<Schemas['Repair'], 'attempts' | 'candidates' | 'conversation' | 'workflow_title'>>;
export type Turn = Schemas['ThreadEntry'];
export type Talk = Schemas['Conversation'];
export type TalkLine = NonNullable<Talk['talk']>[number];

export type Session = Schemas['Who'];
export type Scope = Session['scopes'][number];

export type Recorded = Schemas['HistoryLine'];
export type Snapshot = Schemas['Snapshot'];
export type Usage = Schemas['UsageReport'];
export type UsageDay = Schemas['Usage'];
