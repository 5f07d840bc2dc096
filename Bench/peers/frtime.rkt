; FrTime: W3 in its own language; one event an instant, through its mailbox. One line: name, ns an event, result.
#lang racket/base
(require (only-in frtime/core/frp set-cell! value-now do-in-manager-after proc->signal) (only-in frtime/lang-ext new-cell lift))

(define events 2000)
(define last 0)

(define x (new-cell -1))
(define a (lift #t (lambda (v) (* v 2)) x))
(define b (lift #t (lambda (v) (+ v 1)) x))
(define c (lift #t (lambda (v w) (+ v w)) a b))
(define seen (proc->signal (lambda () (set! last (value-now c)) last) c))

(define (run from count)
  (for ([i (in-range from (+ from count))])
    (set-cell! x i)
    (do-in-manager-after (void))))

(run 0 200)
(define start (current-process-milliseconds))
(run 200 events)
(define spent (- (current-process-milliseconds) start))
(printf "W3 ~a ~a\n" (/ (* spent 1e6) events) last)
