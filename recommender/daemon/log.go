package daemon

import (
	"errors"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/infscale/infscale/recommender"
)

// EncoderConfig is how the programs of infscale log: times in RFC 3339 with milliseconds,
// callers as package/file:line.
func EncoderConfig() zapcore.EncoderConfig {
	c := zap.NewProductionEncoderConfig()
	c.EncodeTime = func(t time.Time, enc zapcore.PrimitiveArrayEncoder) {
		enc.AppendString(t.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	}
	c.EncodeDuration = zapcore.StringDurationEncoder
	c.EncodeCaller = zapcore.ShortCallerEncoder
	return c
}

// fields name the workload.
func (id identity) fields() []zap.Field {
	return []zap.Field{zap.String("namespace", id.namespace), zap.String("workload", id.name)}
}

// logDecision logs what an operator would ask about: a changed recommendation, and
// evidence that went missing or came back.
func (l *loop) logDecision(id identity, before, after *recommender.Decision, changed bool) {
	log := l.log.With(id.fields()...)
	reason := zap.String("reason", string(after.Reason))
	if changed {
		logChange(log, before, after)
	}
	first := before.Time.IsZero()
	switch {
	case !after.Valid && (before.Valid || first):
		log.Warn("evidence is incomplete, nothing falls until it is back", reason)
	case after.Valid && !before.Valid && !first:
		log.Info("evidence is complete again", reason)
	}
	if entry := log.Check(zap.DebugLevel, "decided"); entry != nil {
		entry.Write(zap.String("decision", after.Headline()), zap.Bool("valid", after.Valid))
	}
}

// logChange logs a recommendation that appeared, changed or was withdrawn.
func logChange(log *zap.Logger, before, after *recommender.Decision) {
	from, to := zap.Int32("from", before.Desired), zap.Int32("to", after.Desired)
	reason := zap.String("reason", string(after.Reason))
	switch {
	case !after.Known && after.Reason == recommender.ReasonNeverMatched && after.Evidence.IsZero():
		log.Warn("recommendation withdrawn, no selector has ever matched a series", from, reason)
	case !after.Known:
		log.Warn("recommendation withdrawn, nothing usable was known for longer than hold_limit", from, reason)
	case !before.Known:
		log.Info("recommendation available", to, reason)
	default:
		log.Info("desired replicas changed", from, to, reason)
	}
}

// logEvaluation logs once when queries begin and cease to fail, and each evaluation at debug.
func (l *loop) logEvaluation(r *result, took time.Duration) {
	silent := r.live.err != nil
	if silent && !l.silent {
		l.logOutage(&r.live)
	} else if !silent && l.silent {
		l.log.Info("every query is answered again")
	}
	l.silent = silent
	l.log.Debug("evaluated", zap.Time("slot", r.slot), zap.Duration("took", took), zap.Int("workloads", len(l.world.workloads)), zap.Error(r.live.err))
}

// logOutage logs which queries got no answer, and why the first of them did not.
func (l *loop) logOutage(r *reading) {
	fields := []zap.Field{zap.Int("queries", r.failed), zap.NamedError("first", r.err)}
	if o, ok := errors.AsType[*outage](r.err); ok {
		fields = []zap.Field{zap.Int("queries", r.failed), zap.Strings("families", o.families()), zap.NamedError("first", o.first)}
	}
	l.log.Warn("queries got no answer", fields...)
}
