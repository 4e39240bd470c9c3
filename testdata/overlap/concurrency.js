//// the order of arrival is that of the times
async function main() {
	const came = [];
	await Promise.all([['a', 60], ['b', 20], ['c', 40]].map(([name, ms]) => web.getJSON(`https://x.test/${name}?ms=${ms}`).then((v) => came.push(v))));
	return came;
}
//// all keeps the order of what it was given
async function main() {
	return Promise.all([web.getJSON('https://x.test/a?ms=60'), 7, web.getJSON('https://x.test/b?ms=20'), sleep(40)]);
}
//// all rejects at the first error, and the others go on
async function main() {
	const came = [];
	const get = (name, ms, fails) => web.getJSON(`https://x.test/${name}?ms=${ms}${fails ? '&fails' : ''}`).then((v) => { came.push(v); return v });
	try {
		await Promise.all([get('a', 60), get('b', 20, true), get('c', 40, true)]);
	} catch (e) {
		came.push(e.name + ' ' + e.message);
	}
	await sleep(100);
	return came;
}
//// allSettled
async function main() {
	const all = await Promise.allSettled([web.getJSON('https://x.test/a?ms=40&fails'), web.getJSON('https://x.test/b?ms=20'), 1]);
	return all.map((one) => [one.status, one.value ?? one.reason.message]);
}
//// race
async function main() {
	const slow = web.getJSON('https://x.test/slow?ms=60');
	const first = await Promise.race([slow, web.getJSON('https://x.test/fast?ms=20')]);
	return [first, await Promise.race([slow, sleep(20).then(() => 'time-out')]), await slow];
}
//// any
async function main() {
	return Promise.any([web.getJSON('https://x.test/a?ms=20&fails'), web.getJSON('https://x.test/b?ms=60'), web.getJSON('https://x.test/c?ms=40')]);
}
//// any of none
async function main() {
	try {
		return await Promise.any([web.getJSON('https://x.test/a?ms=40&fails'), web.getJSON('https://x.test/b?ms=20&fails')]);
	} catch (e) {
		return [e.name, e.errors.map((one) => one.message)];
	}
}
//// chains beside each other
async function main() {
	const came = [];
	const chain = async (name, ...times) => { for (const ms of times) came.push(await web.getJSON(`https://x.test/${name}${ms}?ms=${ms}`)) };
	await Promise.all([chain('a', 20, 100), chain('b', 70, 20), chain('c', 40, 20, 90)]);
	return came;
}
//// for await over what is under way
async function main() {
	const came = [];
	const all = [60, 20, 40].map((ms) => web.getJSON(`https://x.test/r${ms}?ms=${ms}`).then((v) => { came.push('came ' + v); return v }));
	for await (const v of all) came.push(v);
	return came;
}
//// an async generator that reads ahead
async function main() {
	async function* pages() {
		let next = web.getJSON('https://x.test/p0?ms=20');
		for (let n = 1; n < 4; n++) {
			const now = await next;
			next = web.getJSON(`https://x.test/p${n}?ms=40`);
			yield now;
		}
		yield await next;
	}
	const came = [];
	for await (const page of pages()) {
		await sleep(10);
		came.push(page);
	}
	return came;
}
//// two at a time
async function main() {
	const came = [], queue = [80, 20, 40, 50, 20];
	const work = async (who) => { while (queue.length) { const ms = queue.shift(); came.push(who + (await web.getJSON(`https://x.test/j${ms}?ms=${ms}`))) } };
	await Promise.all([work('x'), work('y')]);
	return came;
}
//// a time-out that comes first, and one that does not
async function main() {
	const within = async (ms, promise) => {
		let timer;
		const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('late')), ms) });
		try { return await Promise.race([promise, late]) } catch (e) { return e.message } finally { clearTimeout(timer) }
	};
	return [await within(30, web.getJSON('https://x.test/a?ms=70')), await within(80, web.getJSON('https://x.test/b?ms=20'))];
}
//// a fetch that is aborted, beside one that is not
async function main() {
	const stop = new AbortController();
	const came = [];
	const one = fetch('https://x.test/slow?ms=90', { signal: stop.signal }).then((r) => r.json()).then((v) => came.push(v), (e) => came.push(e.name));
	const other = fetch('https://x.test/fast?ms=20').then((r) => r.json()).then((v) => { came.push(v); stop.abort() });
	await Promise.all([one, other]);
	return came;
}
//// what is added while another waits is lost
async function main() {
	let sum = 0;
	const add = async (ms) => { sum += (await web.getJSON(`https://x.test/abcd?ms=${ms}`)).length };
	await Promise.all([add(20), add(40), add(60)]);
	return sum;
}
//// turns of the same moment
async function main() {
	const came = [];
	const a = web.getJSON('https://x.test/a?ms=20').then(() => came.push('a1')).then(() => came.push('a2')).then(() => came.push('a3'));
	const b = web.getJSON('https://x.test/b?ms=60').then(() => { came.push('b1'); queueMicrotask(() => came.push('b micro')) }).then(() => came.push('b2'));
	came.push('begun');
	Promise.resolve().then(() => came.push('at once'));
	await a;
	came.push('waited for a');
	await b;
	return came;
}
//// nobody waits for it, and it is over at the end
async function main() {
	const came = [];
	web.getJSON('https://x.test/late?ms=60').finally(() => came.push('over'));
	came.push(await web.getJSON('https://x.test/soon?ms=20'));
	await sleep(60);
	return came;
}
