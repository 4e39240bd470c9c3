// The client of Windmill: variables are kept values, else secrets; resources and state are kept values.
(function ({ host, secret }) {
	const soon = (make) => {
		try { return Promise.resolve(make()); } catch (e) { return Promise.reject(e); }
	};
	const nothing = (value) => value === undefined || value === null;
	const named = (path) => String(path).replace(/^\$(var|res):/, '').replace(/[^A-Za-z0-9_.-]+/g, '.').slice(0, 100);
	const getVariable = (path) => soon(() => {
		const kept = host['kv.get']('variables/' + path);
		return nothing(kept) ? secret(named(path)) : kept;
	});
	const setVariable = (path, value) => soon(() => { host['kv.set']('variables/' + path, value); });
	const getResource = (path) => soon(() => {
		const kept = host['kv.get']('resources/' + path);
		if (nothing(kept)) throw new Error('there is no resource ' + path + ': keep it once with kv.set("resources/' + path + '", {…})');
		return kept;
	});
	const setResource = (value, path) => soon(() => { host['kv.set']('resources/' + path, value); });
	const getState = () => soon(() => host['kv.get']('state'));
	const setState = (value) => soon(() => { host['kv.set']('state', value); });
	return { getVariable, setVariable, getResource, setResource, getState, setState, getInternalState: getState, setInternalState: setState };
})
